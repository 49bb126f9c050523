"""One table of what functions do to their arguments: role, masking, and the names they go by.

A function that is not listed is SCALAR: each argument is transformed.
"""

from __future__ import annotations

from enum import Enum
from typing import NamedTuple


class Role(Enum):
    SCALAR = "each argument is transformed"
    AGGREGATE = "each argument is aggregated"
    ORDERED = "the key of WITHIN GROUP is aggregated"
    VALUE_AT = "takes one row's value: transformed in a window, aggregated in a group"
    RANKING = "no argument reaches the value; the window's keys decide it"
    GROUPING = "tells whether a key is grouped: the argument decides"
    COALESCE = "each argument is both value and condition"
    LOOKUP = "the first argument names a dictionary, the second its attribute"
    DATE = "an argument may be a date part, which is no column"


class Function(NamedTuple):
    name: str
    role: Role
    masks: bool


def _table(*rows: tuple[Role, bool, str]) -> dict[str, Function]:
    """Each row: role, masks, names; the first of a group joined by `=` is the name shown."""
    found: dict[str, Function] = {}
    for role, masks, names in rows:
        for group in names.split():
            aliases = group.split("=")
            for alias in aliases:
                found[alias] = Function(aliases[0], role, masks)
    return found


# fmt: off
FUNCTIONS = _table(
    (Role.AGGREGATE, False, "sum avg=mean min max median mode product any_value=arbitrary"),
    (Role.AGGREGATE, False, "stddev=std=stdev stddev_pop=stdevp stddev_samp variance=var=var_samp=variance_samp"),
    (Role.AGGREGATE, False, "variance_pop=var_pop=varp corr covar_pop covar_samp kurtosis skewness=skew"),
    (Role.AGGREGATE, False, "array_agg=collect_list=list collect_set=array_unique_agg array_concat_agg"),
    (Role.AGGREGATE, False, "array_union_agg string_agg=group_concat=listagg json_agg=jsonb_agg json_array_agg"),
    (Role.AGGREGATE, False, "json_object_agg=jsonb_object_agg object_agg map_agg xmlagg hash_agg checksum_agg"),
    (Role.AGGREGATE, False, "bool_and=logical_and=every=booland_agg bool_or=logical_or=some=boolor_agg boolxor_agg"),
    (Role.AGGREGATE, False, "bit_and=bitwise_and_agg bit_or=bitwise_or_agg bit_xor=bitwise_xor_agg bitmap_or_agg"),
    (Role.AGGREGATE, False, "max_by=arg_max=argmax min_by=arg_min=argmin histogram quantile approx_quantiles"),
    (Role.AGGREGATE, False, "approx_percentile=percentile_approx=approx_quantile percentile approx_top_k"),
    (Role.AGGREGATE, False, "approx_top_sum regr_avgx regr_avgy regr_intercept regr_r2 regr_slope regr_sxx regr_sxy"),
    (Role.AGGREGATE, False, "regr_syy regr_valx regr_valy minhash minhash_combine approximate_similarity"),
    (Role.AGGREGATE, True, "count count_if=countif regr_count count_star count_big count_distinct"),
    (Role.AGGREGATE, True, "approx_count_distinct=approx_distinct hll uniq=uniqexact=uniqcombined=uniqhll12"),
    (Role.ORDERED, False, "percentile_cont percentile_disc"),
    (Role.VALUE_AT, False, "lag lead first_value=first last_value=last nth_value"),
    (Role.RANKING, False, "row_number rank dense_rank ntile percent_rank cume_dist"),
    (Role.GROUPING, False, "grouping grouping_id"),
    (Role.LOOKUP, False, "dictget dictgetordefault dictgetornull dictgetall dictgetstring"),
    (Role.LOOKUP, False, "dictgetint8 dictgetint16 dictgetint32 dictgetint64 dictgetuint8 dictgetuint16 dictgetuint32"),
    (Role.LOOKUP, False, "dictgetuint64 dictgetfloat32 dictgetfloat64 dictgetdate dictgetdatetime dictgetuuid"),
    (Role.COALESCE, False, "coalesce=nvl=ifnull"),
    (Role.SCALAR, True, "md5=md5_hex md5_digest=md5_binary sha1=sha=sha1_hex sha1_digest=sha1_binary=s_h_a1_digest"),
    (Role.SCALAR, True, "md5_number_lower64=m_d5_number_lower64 md5_number_upper64=m_d5_number_upper64"),
    (Role.SCALAR, True, "sha2=sha256=sha2_hex=sha512=sha224=sha384 sha2_digest=sha2_binary=s_h_a2_digest"),
    (Role.SCALAR, True, "hash xxhash64 murmur_hash=murmurhash3 crc32 fnv_hash standard_hash hashbytes digest hmac"),
    (Role.SCALAR, True, "farm_fingerprint=farmfingerprint=farmfingerprint64 encrypt aes_encrypt pgp_sym_encrypt"),
    (Role.SCALAR, True, "mask mask_first_n mask_last_n mask_hash mask_show_first_n mask_show_last_n tokenize"),
    (Role.DATE, False, "datediff=date_diff dateadd=date_add date_sub=datesub date_trunc=datetrunc"),
    (Role.DATE, False, "date_part=datepart timestampdiff=timestamp_diff timestampadd=timestamp_add timestamp_sub"),
    (Role.DATE, False, "timestamp_trunc timediff datetime_diff datetime_add datetime_sub datetime_trunc"),
    (Role.DATE, False, "time_diff time_add time_sub time_trunc extract last_day=last_day_of_month datename"),
    (Role.DATE, False, "date_bucket next_day timeadd ts_or_ds_add ts_or_ds_diff"),
)

DATE_PARTS = frozenset(
    """year yyyy yy y years yr quarter qq q quarters month mm m months mon week wk ww w weeks weekday dw day dd d
    days dayofweek dow dayofyear doy dy isoweek isoyear isodow hour hh hours hr minute mi n minutes min second ss s
    seconds sec millisecond ms milliseconds microsecond mcs us microseconds nanosecond ns nanoseconds epoch decade
    century millennium timezone_hour timezone_minute epoch_second epoch_millisecond date time week_iso iso_week
    julian""".split()  # noqa: SIM905
)
# fmt: on


def known(name: str) -> Function | None:
    return FUNCTIONS.get(name)
