# %% [markdown]
# # Check-ins: a few posts are enough
#
# People post from the venues they like. A company would release the posts of spring under
# pseudonyms, and everybody can read the posts of summer. How many posts does it take?
#
# The check-ins are simulated below: each person has a few favourite venues, drawn so that popular
# venues are favourites of many.

# %%
import numpy as np
import pyarrow as pa
from pictures import Axis, lines

import trailprint as tp

PEOPLE = 200
VENUES = 600
FAVOURITES = 8
POSTS = 40

random = np.random.default_rng(1)
popularity = 1 / np.arange(1, VENUES + 1)
popularity /= popularity.sum()


def check_in(person: int, n_posts: int) -> list[int]:
    """Venues of one person's posts: favourites mostly, sometimes anywhere."""
    own = np.random.default_rng(person).choice(VENUES, FAVOURITES, replace=False, p=popularity)
    liked = random.choice(own, n_posts, p=np.arange(FAVOURITES, 0, -1) / 36)
    anywhere = random.choice(VENUES, n_posts, p=popularity)
    return np.where(random.random(n_posts) < 0.7, liked, anywhere).tolist()


def season(n_posts: int) -> tp.Events:
    """Everybody's posts of one season."""
    posts = [(f"u{who}", f"v{venue}") for who in range(PEOPLE) for venue in check_in(who, n_posts)]
    users, venues = zip(*posts, strict=True)
    return tp.read(pa.table({"user": users, "location": venues}))


# %% [markdown]
# The released season stays the same. The adversary reads more and more of the other one.

# %%
released = season(POSTS)
rows = []
for n_known in (1, 2, 4, 8, 16, POSTS):
    known = season(n_known)
    risk = tp.match(released, known, tp.MatchOptions(metric="likelihood")).risk
    low, high = risk.accuracy_interval
    rows.append({"x": n_known, "y": risk.accuracy, "low": low, "high": high})

lines(
    "Linked, by how many posts of each person are known",
    rows,
    Axis("known posts", kind="log"),
    a="histogram matching, by likelihood",
)

# %% [markdown]
# The band is a 95 % interval. Guessing would link one person. The metric matters here: the two
# sides differ in length, and `likelihood` is made for that.

# %%
metrics = ("likelihood", "jensen-shannon", "cosine")
known = season(4)
for metric in metrics:
    found = tp.match(released, known, tp.MatchOptions(metric=metric)).risk
    print(f"{metric:15} {found.accuracy:.0%} of {found.n_common} people, from four posts each")
