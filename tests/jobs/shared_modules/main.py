import jobs.costs as costs
from common import session
from common.settings import Settings
from jobs import revenue

SETTINGS = Settings.load("prod")


def main():
    spark = session.get("marts")
    for module in (revenue, costs):
        module.run(spark, SETTINGS)


main()
