"""The primes by a sieve of one flag for each number."""

from check import equal, given, np

prime = np.ones(max(given["n"], 2), bool)
prime[:2] = False
for i in range(2, int(given["n"] ** 0.5) + 1):
    if prime[i]:
        prime[i * i :: i] = False
equal(np.flatnonzero(prime))
