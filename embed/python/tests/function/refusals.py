"""Functions that are refused.  `# here` marks the line that the message must name."""

total = [1, 2]


def appends(a):
    b = a
    b.append(1)  # here
    return b


def tries(a):
    try:  # here
        return 1 // a
    except ZeroDivisionError:
        return 0


def dicts(a):
    return {x: 1 for x in [a]}  # here


def nothing(a):
    if a > 0:
        return None  # here
    return 1


def mixed(a):
    return a + [1]  # here


def changes(a):
    b = [a, a]
    b[0] = 1  # here
    return b


def uses_state(a):
    global total  # here
    total = a
    return a


def may_be_unset(a):
    if a > 0:
        b = 1
    return b  # here


def ends(a):  # here
    if a > 0:
        return 1


def prints(a):
    print(a)  # here
    return a


def generator(a):
    b = (x for x in [a])  # here
    return sum(b)


def method(a):
    return "a b".split()  # here


def list_outside(a):
    return total[a]  # here


def elements(a):
    return [1, [a]]  # here


def identity(a):
    return a is a  # here


def endless(a):
    return endless([a])  # here


def keyword_only(*, a):  # here
    return a


def large(a):
    return a + 9223372036854775808  # here


def changes_a_captured_variable(a):
    b = a
    add = lambda x: x + b
    b = 10  # here
    return add(a)


def changes_in_a_loop(a):
    b = 0
    for i in range(a):
        b += i  # here

        def add(x):
            return x + b

        a = add(a)
    return a


CASES = [changes_a_captured_variable, changes_in_a_loop, appends, tries, dicts, nothing, mixed, changes, uses_state, may_be_unset, ends, prints, generator, method,
         list_outside, elements, identity, endless, keyword_only, large]
