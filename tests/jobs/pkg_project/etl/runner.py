from . import jobs


def run_all(settings):
    for cls in jobs.JOBS:
        cls(settings)()
