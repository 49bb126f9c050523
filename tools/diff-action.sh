#!/usr/bin/env bash
# The work of action.yml: install lineal beside the project, compare, and leave the report where GitHub looks for it.
# Needs HERE, BASE, PROJECT, POLICY, FAIL_ON, FAIL_UNDER and OPTIONS in the environment.
set -euo pipefail

work="${RUNNER_TEMP:-$(mktemp -d)}/lineal"
mkdir -p "$work"
lineal="${LINEAL:-$work/venv/bin/lineal}"
if [ ! -x "$lineal" ]; then
  python3 -m venv "$work/venv"
  "$work/venv/bin/pip" install --quiet --constraint "$HERE/constraints.txt" "$HERE"
fi

options=()
while IFS= read -r line; do
  if [ -n "$line" ]; then options+=("$line"); fi
done <<<"${OPTIONS:-}"
if [ -n "${POLICY:-}" ]; then options+=(--policy "$POLICY"); fi
options+=(--project "$PROJECT" --fail-on "$FAIL_ON" --fail-under "$FAIL_UNDER")

compare() { "$lineal" diff "${options[@]}" --output "$1" -- "$BASE"; }

code=0
compare json >"$work/lineage.json" || code=$?
if [ "$code" -gt 1 ]; then exit "$code"; fi
compare markdown >"$work/lineage.md" 2>/dev/null || true
compare sarif >"$work/lineage.sarif" 2>/dev/null || true
verdict=$(python3 -c 'import json, sys; print(json.load(open(sys.argv[1]))["verdict"])' "$work/lineage.json")

cat "$work/lineage.md" >>"${GITHUB_STEP_SUMMARY:-/dev/stdout}"
{
  echo "verdict=$verdict"
  echo "code=$code"
  echo "report=$work/lineage.md"
  echo "sarif=$work/lineage.sarif"
} >>"${GITHUB_OUTPUT:-/dev/stdout}"
