"""A project that is kept up to date while its files change; whoever shows lineage asks it.

Project(Source((".",)), cache())      see `lineal.service.project`
"""
