"""The graph room: what an extraction says, walked, weighed and labelled.

graph     datasets and edges, indexed by both ends
select    `+model.column+`: what a user asks for
trace     upstream and downstream
impact    what a change reaches, and why
tables    table-level lineage, from reads
describe  description status of an edge
classify  effective labels of a column
"""
