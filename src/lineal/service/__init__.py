"""A project that is kept up to date while its files change; views of lineage query it.

Project(Source((".",)), cache())      see `lineal.service.project`
"""
