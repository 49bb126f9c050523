from dataclasses import dataclass, replace


@dataclass
class Settings:
    env: str
    database: str = "raw"
    target: str = "dw"
    lookback: int = 7

    def table(self, name: str) -> str:
        return f"{self.database}.{name}"

    def out(self, name: str) -> str:
        return ".".join([self.target, f"{self.env}_{name}"])


_BASE = Settings(env="dev")


def load(env: str) -> Settings:
    return replace(_BASE, env=env, lookback=30)
