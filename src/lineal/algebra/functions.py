"""One table of what functions do: role, masking, the type of what they give, and the names they go
by.

A function that is not listed is SCALAR: each argument is transformed, and nothing is known of its
type.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum
from typing import NamedTuple

from lineal.model.script import Meaning


class Role(Enum):
    SCALAR = "each argument is transformed"
    AGGREGATE = "each argument is aggregated"
    ORDERED = "the key of WITHIN GROUP is aggregated"
    VALUE_AT = "takes one row's value: transformed in a window, aggregated in a group"
    RANKING = "no argument reaches the value; the window's keys decide it"
    GROUPING = "the arguments decide the value: whether a key is grouped, which test holds"
    COALESCE = "each argument is both value and condition"
    LOOKUP = "the first argument names a dictionary, the second its attribute"
    NAME = "a text that names a column"
    PATH = "a part of the first argument, which the others lead to"
    CHOICE = "the first argument decides which of the others is taken"
    MOVING = "the first argument is aggregated over rows that the last one orders"
    MOVED = "the first argument is taken of rows that the last one orders"
    DATE = "an argument may be a date part, not a column"


class Function(NamedTuple):
    name: str
    role: Role
    masks: bool
    returns: str = ""
    """The type of its value: a type, or a rule of RULES; '' if it is not known."""


RULES = {
    "same": "the type of the first argument",
    "second": "the type of the second argument",
    "widest": "the type that holds every argument",
    "array": "an array of the first argument",
    "texts": "an array of texts",
    "element": "what the array holds that is the first argument",
    "sum": "wide enough for a sum of the first argument",
    "avg": "the type of an average of the first argument",
    "round": "the type of the first argument, with fewer digits",
    "whole": "a number without a fraction",
    "concat": "a text, where an argument is one",
    "slice": "a text, where the first argument is one",
    "real": "a real number",
    "share": "a real number between 0 and 1",
    "count": "a number of rows",
    "tally": "a number of rows that fulfil a condition",
    "rank": "a number of rows or of groups of rows, in a window",
    "tile": "the number of a bucket",
    "part": "a number that is a part of a date",
    "days": "a number of units between two dates",
    "length": "a number of characters or elements",
    "digest": "a hash, written as a text",
    "hash32": "a hash that is a short number",
    "hash64": "a hash that is a long number",
    "day": "a date",
    "moment": "a point in time",
    "bytes": "bytes",
}
"""The rules that a row of the table may name instead of a type; the dialect decides the type."""


def _table(*rows: tuple[Role, bool, str, str]) -> dict[str, Function]:
    """Each row: role, masks, type, names; the first of a group joined by `=` is the name shown."""
    found: dict[str, Function] = {}
    for role, masks, returns, names in rows:
        for group in names.split():
            aliases = group.split("=")
            for alias in aliases:
                assert alias not in found, f"{alias} is in two rows"
                found[alias] = Function(aliases[0], role, masks, returns)

    return found


AGGREGATE, ORDERED, VALUE_AT, RANKING, SCALAR, DATE = (
    Role.AGGREGATE, Role.ORDERED, Role.VALUE_AT, Role.RANKING, Role.SCALAR, Role.DATE,
)  # fmt: skip

# fmt: off
FUNCTIONS = _table(
    # -- aggregates: numbers
    (AGGREGATE, False, "sum", "sum try_sum"),
    (AGGREGATE, False, "", """
        sum_distinct=sumdistinct fsum=kahan_sum=sumkahan sum_no_overflow sum0 sum_with_overflow
        favg=decimal_average avg_weighted measure median=approx_median geometric_mean product=mul_agg vector_sum
        vector_avg regr_valx regr_valy kurtosis_pop kurt_pop kurt_samp skew_pop skew_samp sem entropy mad
        corr_s corr_k stats_binomial_test stats_crosstab stats_f_test stats_ks_test stats_mw_test
        stats_one_way_anova stats_t_test_indep stats_t_test_indepu stats_t_test_one stats_t_test_paired
        stats_wsr_test student_t_test welch_t_test mann_whitney_u_test rank_corr cramers_v theils_u
        contingency simple_linear_regression stochastic_linear_regression stochastic_logistic_regression
        bool_xor=boolxor_agg"""),
    (AGGREGATE, False, "avg", "avg=mean try_avg"),
    (AGGREGATE, False, "same", """
        min max any_value=arbitrary=anyvalue mode=stats_mode any any_heavy any_last=anylast
        max_by=arg_max=argmax min_by=arg_min=argmin arg_max_null arg_min_null arg_max_nulls_last
        arg_min_nulls_last approx_mode bit_and=bitwise_and_agg=bitand_agg bit_or=bitwise_or_agg=bitor_agg
        bit_xor=bitwise_xor_agg=bitxor_agg"""),
    (AGGREGATE, False, "real", """
        stddev=std=stdev stddev_pop=stdevp=stddevp stddev_samp variance=var=var_samp=variance_samp
        variance_pop=var_pop=varp corr covar_pop covar_samp kurtosis skewness=skew regr_avgx regr_avgy
        regr_intercept regr_r2 regr_slope regr_sxx regr_sxy regr_syy"""),
    (AGGREGATE, False, "boolean", "bool_and=logical_and=every=booland_agg bool_or=logical_or=some=boolor_agg"),
    # -- aggregates: quantiles and frequencies
    (AGGREGATE, False, "", """
        quantile approx_quantiles approx_percentile=percentile_approx=approx_quantile percentile quantiles
        quantile_exact quantile_exact_low quantile_exact_high quantile_exact_weighted quantile_timing
        quantile_timing_weighted quantile_deterministic quantile_tdigest quantile_tdigest_weighted
        quantile_bfloat16 quantile_dd quantile_gk quantile_interpolated_weighted quantile_exact_inclusive
        quantile_exact_exclusive quantiles_exact quantiles_tdigest quantiles_timing quantiles_gk
        quantiles_exact_weighted quantiles_exact_exclusive quantiles_exact_inclusive reservoir_quantile
        percentile_exc percentile_inc approx_percentile_accumulate approx_percentile_combine
        approx_percentile_agg approx_percentile_detail approx_percentile_estimate tdigest_agg qdigest_agg
        histogram histogram_exact histogram_numeric numeric_histogram equi_width_histogram approx_top_k
        approx_top_k_accumulate approx_top_k_combine approx_top_sum approx_top_count approx_most_frequent
        top_k=topk top_k_weighted approx_histogram lttb sparkbar kll_sketch_agg_bigint kll_sketch_agg_double
        kll_sketch_agg_float kll_merge_agg_bigint kll_merge_agg_double kll_merge_agg_float make_set_digest
        merge_set_digest approx_count_distinct_combine count_min_sketch count_min_sketch_agg bit_histogram"""),
    # -- aggregates: collections and texts
    (AGGREGATE, False, "array", """
        array_agg=collect_list=list collect_set=array_unique_agg set_agg group_array group_uniq_array"""),
    (AGGREGATE, False, "", """
        collect_union collect array_concat_agg array_union_agg group_array_sample group_array_sorted
        group_array_moving_sum group_array_moving_avg group_array_insert_at group_array_last
        group_array_intersect group_concat_distinct set_union map_union map_union_sum multimap_agg map_agg
        sum_map sum_map_with_overflow min_map max_map avg_map group_bitmap group_bitmap_and group_bitmap_or
        group_bitmap_xor group_bit_and group_bit_or group_bit_xor json_agg=jsonb_agg
        json_array_agg=json_arrayagg json_object_agg=jsonb_object_agg=json_objectagg
        json_agg_strict=jsonb_agg_strict json_object_agg_strict=jsonb_object_agg_strict
        json_object_agg_unique=jsonb_object_agg_unique json_object_agg_unique_strict
        jsonb_object_agg_unique_strict json_group_array=jsonb_group_array json_group_object=jsonb_group_object
        object_agg variant_group_object xmlagg=sys_xmlagg json_dataguide json_merge_agg schema_of_variant_agg
        ai_agg ai_summarize_agg range_agg range_intersect_agg rangeagg bitstring_agg bitmap_construct_agg
        bitmap_or_agg bitmap_and_agg bitmap_xor_agg combine_aggr reduce_agg learn_classifier learn_regressor
        convex_hull_agg geometry_union_agg st_union_agg st_extent st_collect_agg st_makeline_agg
        st_centroid_agg st_clusterdbscan st_memunion st_extent_agg st_envelope_agg delta_sum
        delta_sum_timestamp exponential_moving_average exponential_time_decayed_avg max_intersections
        max_intersections_position retention sequence_match sequence_count window_funnel sum_count
        first_value_respect_nulls last_value_respect_nulls"""),
    # -- aggregates of ClickHouse, as its catalog lists them
    (AGGREGATE, False, "", """
        mvtencode analysisofvariance anova anylastrespectnulls anyrespectnulls anyvaluerespectnulls argandmax
        argandmin boundingratio categoricalinformationvalue corrmatrix corrstable covarpopmatrix covarpopstable
        covarsampmatrix covarsampstable cramersvbiascorrected distinctdynamictypes distinctjsonpaths
        distinctjsonpathsandtypes estimatecompressionratio exponentialtimedecayedcount exponentialtimedecayedmax
        exponentialtimedecayedsum flamegraph gini groupformat groupnumericindexedvector hierarchicalkmeans
        intervallengthsum kolmogorovsmirnovtest largesttrianglethreebuckets maxmappedarrays meanztest
        medianbfloat16 medianbfloat16weighted mediandd mediandeterministic medianexact medianexacthigh
        medianexactlow medianexactweighted medianexactweightedinterpolated mediangk medianinterpolatedweighted
        mediantdigest mediantdigestweighted mediantiming mediantimingweighted mergedjsonpatch minmappedarrays
        nonnegativederivative quantilebfloat16weighted quantileexactweightedinterpolated
        quantileprometheushistogram quantilesbfloat16 quantilesbfloat16weighted quantilesdd quantilesdeterministic
        quantilesexacthigh quantilesexactlow quantilesexactweightedinterpolated quantilesinterpolatedweighted
        quantilesprometheushistogram quantilestdigestweighted quantilestimingweighted sequencematchevents
        sequencenextnode singlevalueornull stddevpopstable stddevsampstable studentttestonesample summapfiltered
        summapfilteredwithoverflow summappedarrays timeseriesavgtogrid timeseriesbottomkmasks
        timeserieschangestogrid timeseriescounttogrid timeseriesdeltatogrid timeseriesderivtogrid
        timeseriesgrouparray timeseriesincreasetogrid timeseriesinstantdeltatogrid timeseriesinstantratetogrid
        timeserieslasttogrid timeserieslasttwosamples timeserieslimitkmasks timeseriesmaxtogrid timeseriesmintogrid
        timeseriespredictlineartogrid timeseriesratetogrid timeseriesresampletogridwithstaleness
        timeseriesresetstogrid timeseriessumtogrid timeseriestimestampofmaxtogrid timeseriestimestampofmintogrid
        timeseriestopkmasks varpopstable varsampstable"""),
    (AGGREGATE, False, "text", """
        string_agg=group_concat=listagg=strings_agg=wm_concat listagg_distinct string_agg_distinct"""),
    # -- aggregates: what hides the values
    (AGGREGATE, True, "count", """
        count count_star count_distinct regr_count
        approx_count_distinct=approx_distinct=ndv=approximate_count_distinct=approxcountdistinct"""),
    (AGGREGATE, True, "tally", "count_if=countif=count_where"),
    (AGGREGATE, True, "bigint", "count_big"),
    (AGGREGATE, True, "", """
        hll hll_estimate hll_accumulate hll_combine hll_sketch_agg hll_union_agg hll_create_agg hll_add_agg
        hll_cardinality_agg hll_merge hll_raw_agg approx_set empty_approx_set hll_count.init hll_count.merge
        hll_count.merge_partial datasketches_hll datasketches_theta theta_sketch_agg theta_union_agg
        theta_intersection_agg tuple_sketch_agg_double tuple_sketch_agg_integer tuple_union_agg_double
        tuple_union_agg_integer tuple_intersection_agg_double tuple_intersection_agg_integer
        uniq=uniqexact=uniqcombined=uniqhll12=uniq_combined64=uniq_theta=uniq_up_to hash_agg checksum_agg
        minhash minhash_combine approximate_similarity approximate_jaccard_index kmv_distinct"""),
    # -- aggregates with WITHIN GROUP, window functions, grouping
    (ORDERED, False, "", "percentile_cont=quantile_cont percentile_disc=quantile_disc approx_percentile_cont"),
    (VALUE_AT, False, "same", "lag lead first_value=first last_value=last nth_value lag_in_frame lead_in_frame"),
    (RANKING, False, "rank", "row_number rank dense_rank"),
    (RANKING, False, "tile", "ntile"),
    (RANKING, False, "share", "percent_rank cume_dist"),
    (Role.GROUPING, False, "", "grouping grouping_id group_id case_n"),
    (Role.LOOKUP, False, "", """
        dictget dictgetordefault dictgetornull dictgetall dictgetstring dictgetint8 dictgetint16 dictgetint32
        dictgetint64 dictgetuint8 dictgetuint16 dictgetuint32 dictgetuint64 dictgetfloat32 dictgetfloat64
        dictgetdate dictgetdatetime dictgetuuid"""),
    (Role.NAME, False, "", "identifier"),
    (Role.CHOICE, False, "second", "choose elt"),
    (Role.PATH, False, "", "jsonb_extract_path json_extract_path jsonb_extract_path_text json_extract_path_text"),
    (Role.PATH, False, "", "tupleelement"),
    (Role.COALESCE, False, "widest", "coalesce=nvl=ifnull zeroifnull nullifzero"),
    (AGGREGATE, False, "", "ratio_to_report counter_diff conditional_change_event conditional_true_event"),
    # -- hashes, ciphers and masks
    (SCALAR, True, "digest", "md5=md5_hex sha1=sha=sha1_hex=func_sha1 sha2=sha256=sha2_hex=sha512=sha224=sha384"),
    (SCALAR, True, "", """
        md5_digest=md5_binary sha1_digest=sha1_binary=s_h_a1_digest sha2_digest=sha2_binary=s_h_a2_digest
        md5_number_lower64=m_d5_number_lower64 md5_number_upper64=m_d5_number_upper64 md5_number half_md5
        murmur_hash=murmurhash3=murmur3 murmur_hash2_32 murmur_hash2_64 murmur_hash3_32 murmur_hash3_64
        murmur_hash3_128 city_hash64=cityhash64 sip_hash64 sip_hash128 farm_hash64 java_hash hive_hash
        metro_hash64 int_hash32 int_hash64 wy_hash64 xxh3 xx_hash32=xxhash32 crc32c crc64 crc32_ieee
        adler32 blake3 blake2b keccak256 ripe_m_d160=ripemd160 sha512_256 spooky_hash_v2_32 spooky_hash_v2_64
        fnv_hash fnvhash standard_hash ora_hash hashbytes hash_bytes hashtext hashtextextended hashrow
        hashbucket hash_md5 checksum binary_checksum digest hmac hmac_md5 hmac_sha1 hmac_sha256 hmac_sha512
        h_m_a_c farm_fingerprint=farmfingerprint=farmfingerprint64 simhash minhash_lsh crypt bcrypt scrypt
        argon2 password old_password pwdencrypt encrypt encrypt_raw encrypt_iv aes_encrypt aes_encrypt_mysql
        des_encrypt aead.encrypt deterministic_encrypt pgp_sym_encrypt pgp_sym_encrypt_bytea pgp_pub_encrypt
        pgp_pub_encrypt_bytea encryptbykey encryptbypassphrase encryptbycert encryptbyasymkey
        voltage_secure_protect fpe_encrypt mask mask_first_n mask_last_n mask_hash mask_show_first_n
        mask_show_last_n ai_mask data_mask mask_inner mask_outer mask_pan mask_pan_relaxed mask_ssn mask_iban
        mask_uuid mask_canada_sin mask_uk_nin mask_email mask_phone tokenize tokenise redact ai_redact
        obfuscate anonymize pseudonymize scramble dbms_crypto.hash dbms_crypto.encrypt anon.hash anon.digest
        anon.partial anon.partial_email anon.random_hash anon.pseudo_email anon.pseudo_first_name
        anon.pseudo_last_name"""),
    (SCALAR, True, "hash64", "xxhash64=xx_hash64 crc32"),
    (SCALAR, True, "hash32", "hash"),
    # -- dates
    (DATE, False, "days", "datediff=date_diff timestampdiff=timestamp_diff timediff datetime_diff time_diff"),
    (DATE, False, "", """
        dateadd=date_add date_sub=datesub date_trunc=datetrunc timestampadd=timestamp_add timestamp_sub
        timestamp_trunc datetime_add datetime_sub datetime_trunc time_add time_sub time_trunc date_bucket
        timeadd ts_or_ds_add ts_or_ds_diff datediff_big time_slice
        last_day=last_day_of_month next_day previous_day"""),
    (DATE, False, "part", "date_part=datepart extract"),
    (DATE, False, "text", "datename date_name"),
)

_SKETCHES_OF_TRINO = _table((AGGREGATE, True, "", "checksum"), (AGGREGATE, False, "", "merge"))

_WINDOWS_OF_TERADATA = _table(
    (Role.MOVING, False, "", "csum msum mavg mlinreg"), (Role.MOVED, False, "", "mdiff"),
)

BY_DIALECT: Mapping[str, Mapping[str, Function]] = {
    **dict.fromkeys(("trino", "presto", "athena"), _SKETCHES_OF_TRINO),
    "teradata": _WINDOWS_OF_TERADATA,
}
"""Names that mean something else in a dialect: CHECKSUM(a) is a hash of one row in T-SQL, and of
all in Trino.
"""

PLAIN = {
    name: rule
    for rule, names in {
        "text": """upper=ucase lower=lcase trim ltrim rtrim btrim initcap regexp_replace translate concat_ws
            format_string date_format time_to_str monthname dayname get_json_object substring_index soundex
            input_file_name regexp_extract""",
        "slice": "substring=substr left right lpad=pad rpad replace",
        "concat": "concat",
        "texts": "split",
        "length": "length=len=char_length=character_length str_position=instr=position array_size=cardinality size",
        "part": """year month quarter day day_of_month=dayofmonth day_of_week=dayofweek day_of_year=dayofyear
            week_of_year=weekofyear hour minute second""",
        "real": """sqrt cbrt exp ln log log2 log10 log1p expm1 sin cos tan cot asin acos atan atan2 sinh cosh tanh
            degrees radians power=pow rand=random randn""",
        "same": "abs array_distinct array_sort=sort_array array_except array_intersect",
        "widest": "greatest least",
        "element": "array_max array_min",
        "round": "round",
        "whole": "ceil=ceiling floor",
        "day": "to_date=ts_or_ds_to_date=str_to_date add_months make_date last_day next_day date_trunc date_from_parts",
        "date": "current_date=curdate",
        "moment": "current_timestamp=now timestamp_trunc to_timestamp=str_to_time",
        "boolean": """starts_with=startswith ends_with=endswith contains regexp_like=rlike array_contains isnan=is_nan
            isnull isnotnull map_contains_key equal_null""",
        "hash64": "monotonically_increasing_id unix_timestamp",
        "hash32": "spark_partition_id",
        "bytes": "unhex unbase64",
    }.items()
    for group in names.split()
    for name in group.split("=")
}
"""The types that functions give which do nothing but transform their arguments."""

DATE_PARTS = frozenset(
    """year yyyy yyy yy y years yr yrs quarter qq q quarters qtr qtrs month mm m months mon mons week wk ww w weeks
    weekday dw day dd d days dayofmonth day_of_month dayofweek day_of_week dow dayofyear day_of_year doy dy isoweek
    isowk isoww isoyear isodow week_iso weekiso iso_week weekofyear week_of_year weekofyeariso weekofyear_iso
    dayofweekiso dayofweek_iso dow_iso weekday_iso yearofweek yearofweekiso hour hh h hours hr hrs minute mi n minutes
    min mins second ss s seconds sec secs millisecond ms msec milliseconds microsecond mcs us usec microseconds
    nanosecond ns nsec nanoseconds epoch epoch_second epoch_seconds epoch_millisecond epoch_milliseconds
    epoch_microsecond epoch_microseconds epoch_nanosecond epoch_nanoseconds decade decades century centuries
    millennium millennia timezone tz tzoffset timezone_hour timezone_minute tzh tzm date time year_month day_hour
    day_minute day_second day_microsecond hour_minute hour_second hour_microsecond minute_second minute_microsecond
    second_microsecond sql_tsi_second sql_tsi_minute sql_tsi_hour sql_tsi_day sql_tsi_week sql_tsi_month
    sql_tsi_quarter sql_tsi_year fiscalyear fiscalquarter fiscalmonth
    julian""".split()  # noqa: SIM905
)
# fmt: on


def _without_separators(name: str) -> str:
    """Return a function's name without what separates its words.

    JSON_ARRAYAGG, json_array_agg, jsonArrayAgg

    one name, however its words are told apart
    """
    return name.replace("_", "").lower()


BY_SQUEEZED_NAME = {
    _without_separators(name): function for name, function in reversed(FUNCTIONS.items())
}


AGGREGATES_OF_ONE = frozenset(
    """st_union st_collect st_makeline st_polygonize st_3dunion st_coverageunion st_asmvt st_asgeobuf st_asflatgeobuf
    st_clusterintersecting st_clusterwithin st_samealignment st_countagg st_summarystatsagg""".split()  # noqa: SIM905
)
"""ST_Union(g)      PostGIS: an aggregate of one argument; ST_Union(a, b) is a scalar"""


def known(name: str) -> Function | None:
    """The row of a function, by any of its names in lower case."""
    return FUNCTIONS.get(name) or BY_SQUEEZED_NAME.get(_without_separators(name))


def returns_of(name: str) -> str:
    """The type that a function gives, or the rule for it; '' where that is not known."""
    found = known(name)
    return (found.returns if found is not None else "") or PLAIN.get(name, "")


def with_meaning(meaning: Meaning, held: Function | None) -> Function:
    """Return a function with the meaning that the project adds to the known one: a hash that is
    said to aggregate still masks.
    """
    name = meaning.name.lower()
    held = held or known(name) or Function(name, Role.SCALAR, False)
    role = Role.AGGREGATE if meaning.aggregates else held.role
    return held._replace(role=role, masks=held.masks or meaning.masks)
