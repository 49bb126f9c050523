import sys, time, os
sys.path[:0] = [os.path.dirname(__file__)]
from random import Random
from soundness import *
from shrink import shrunk
start, n = int(sys.argv[1]), int(sys.argv[2])
most = int(sys.argv[3]) if len(sys.argv) > 3 else 10
tables, tally, bad = Tables(), Tally(), 0
t = time.time()
def kind_of_failure(e):
    return str(e).split("\n-- ",1)[1].split()[1][:5]
def fails(target, wanted):
    def check(text):
        for s in range(6):
            try: experiment(Statement(text, target), Random(s), tables, Tally())
            except Unsound as e: return kind_of_failure(e) == wanted
            except Exception: return False
        return False
    return check
for seed in range(start, start + n):
    st = statement_of(seed)
    try:
        experiment(st, Random(seed), tables, tally, precision="-p" in sys.argv)
    except Unsound as e:
        bad += 1
        if bad <= most:
            kind = kind_of_failure(e)
            small = shrunk(st.text, fails(st.target, kind))
            for s in range(6):
                try: experiment(Statement(small, st.target), Random(s), tables, Tally())
                except Unsound as e2: e = e2; break
            print(seed, str(e)[:1500], "\n", flush=True)
    except Exception as e:
        bad += 1; print(seed, "CRASH", repr(e), st.text[:1500])
print(f"{n} statements {time.time()-t:.1f}s compared {tally.compared} undetermined {tally.undetermined} refused {sum(tally.refused.values())} draws {tally.draws} bad {bad} precision {tally.shown}/{tally.listed}")
for k, v in tally.refused.most_common(25): print(v, k)
