"""JavaScript as far as constants go: read with a small grammar, walked with limits, never executed."""
