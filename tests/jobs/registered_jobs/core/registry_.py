registry = {}


def job(name=None, **meta):
    def wrap(fn):
        registry[name or fn.__name__] = fn
        fn.meta = meta
        return fn
    return wrap
