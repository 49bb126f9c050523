DATABASES = {"prod": {"source": "raw", "target": "dw"}, "test": {"source": "raw_test", "target": "dw_test"}}


class Settings:
    def __init__(self, source, target):
        self.source = source
        self.target = target

    @classmethod
    def load(cls, stage):
        return cls(**DATABASES[stage])

    def table(self, name):
        return "{}.{}".format(self.source, name)

    def output(self, name):
        return f"{self.target}.{name}"
