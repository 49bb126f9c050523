from .registry_ import registry, job
