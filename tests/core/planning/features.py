"""A corpus: one small problem for each feature of PDDL, with its answer.

An answer is the length of the shortest plan, "impossible", or what the refusal must name.
"""

from __future__ import annotations

from dataclasses import dataclass

DOMAIN = """(define (domain lamps)
  {requirements}
  (:types {types})
  (:constants {constants})
  (:predicates (on ?l - lamp) (broken ?l - lamp) (wired ?a ?b - lamp) (power) (done) {more})
  {sections}
  (:action press :parameters (?l - lamp)
    :precondition {pre}
    :effect {eff})
  {actions})
"""
PROBLEM = """(define (problem light)
  (:domain lamps)
  (:objects {objects})
  (:init {init})
  (:goal {goal})
  {metric})
"""
DEFAULTS = {
    "requirements": "(:requirements :adl :derived-predicates)",
    "types": "lamp",
    "constants": "a b c - lamp",
    "more": "",
    "sections": "",
    "pre": "(not (on ?l))",
    "eff": "(on ?l)",
    "actions": "",
    "objects": "a b c - lamp",
    "init": "(wired a b) (wired b c)",
    "goal": "(on a)",
    "metric": "",
}
PLUG = "(:action plug :parameters () :effect (power))"
MEND = "(:action mend :parameters (?l - lamp) :effect (not (broken ?l)))"
CUT = "(:action cut :parameters (?x ?y - lamp) :effect (not (wired ?x ?y)))"
JOIN = "(:action join :parameters (?x ?y - lamp) :effect (wired ?x ?y))"
FINISH = "(:action finish :parameters () :precondition {} :effect (done))"
LINKED = """(:derived (linked ?x ?y - lamp)
    (or (wired ?x ?y) (exists (?z - lamp) (and (wired ?x ?z) (linked ?z ?y)))))"""
PAIR = "(linked ?x ?y - lamp)"


@dataclass(frozen=True)
class Case:
    domain: str
    problem: str
    answer: int | str


def case(answer: int | str, **parts: str) -> Case:
    words = {**DEFAULTS, **parts}
    return Case(DOMAIN.format(**words), PROBLEM.format(**words), answer)


def text(answer: int | str, domain: str, problem: str) -> Case:
    return Case(domain, problem, answer)


WITH_COSTS = {
    "sections": "(:functions (total-cost) - number (price ?l - lamp) - number)",
    "eff": "(and (on ?l) (increase (total-cost) (price ?l)))",
    "init": "(= (total-cost) 0) (= (price a) 5) (= (price b) 1) (= (price c) 2)",
    "metric": "(:metric minimize (total-cost))",
}
TIMED = "(:durative-action wait :parameters () :duration (= ?duration 1) :condition () :effect ())"
CASES = {
    "plain": case(2, goal="(and (on a) (on b))"),
    "the goal holds": case(0, init="(on a)"),
    "no goal": case(0, goal="(and)"),
    "negative precondition": case("impossible", init="(on b)", pre="(not (on b))"),
    "negative goal": case(1, init="(broken a)", actions=MEND, goal="(not (broken a))"),
    "double negation": case(1, pre="(not (not (not (on ?l))))"),
    "equality": case("impossible", pre="(and (not (= ?l a)) (not (on ?l)))"),
    "constants": case(1, constants="z - lamp", goal="(on z)"),
    # conditions
    "or": case(
        3, pre="(or (power) (broken ?l))", init="(broken a)", actions=PLUG, goal="(and (on a) (on b))"
    ),
    "imply": case(
        3, pre="(imply (broken ?l) (power))", init="(broken a)", actions=PLUG, goal="(and (on a) (on b))"
    ),
    "exists": case(
        2,
        pre="(exists (?x - lamp) (and (wired ?x ?l) (on ?x)))",
        init="(on a) (wired a b) (wired b c)",
        goal="(on c)",
    ),
    "forall": case(3, pre="(forall (?x - lamp) (imply (wired ?x ?l) (on ?x)))", goal="(on c)"),
    "not exists": case(4, actions=FINISH.format("(not (exists (?x - lamp) (not (on ?x))))"), goal="(done)"),
    "not forall": case(2, actions=FINISH.format("(not (forall (?x - lamp) (not (on ?x))))"), goal="(done)"),
    "not and": case(2, init="(power) (broken a)", pre="(not (and (power) (broken ?l)))", actions=MEND),
    "not imply": case(2, pre="(not (imply (power) (on ?l)))", actions=PLUG),
    "forall exists": case(
        2,
        goal="(done)",
        actions=FINISH.format(
            "(forall (?x - lamp) (exists (?y - lamp) (and (on ?y)"
            " (or (= ?x ?y) (wired ?x ?y) (wired ?y ?x)))))"
        ),
    ),
    "exists forall": case(
        2,
        goal="(done)",
        init="(wired b a) (wired b c)",
        actions=FINISH.format(
            "(exists (?x - lamp) (and (on ?x) (forall (?y - lamp) (or (= ?x ?y) (wired ?x ?y)))))"
        ),
    ),
    "six deep": case(
        2,
        goal="(done)",
        actions=FINISH.format(
            "(or (broken a) (and (imply (on b) (not (or (on c) (forall (?x - lamp) (exists (?y - lamp)"
            " (and (wired ?x ?y) (on ?y))))))) (on b)))"
        ),
    ),
    "a variable that hides another": case(
        3, pre="(forall (?l - lamp) (imply (wired a ?l) (power)))", actions=PLUG, goal="(and (on a) (on b))"
    ),
    "one name for two variables": case(
        3,
        goal="(done)",
        actions=FINISH.format(
            "(and (exists (?x - lamp) (and (on ?x) (wired a ?x)))"
            " (exists (?x - lamp) (and (on ?x) (wired b ?x))))"
        ),
    ),
    "exists over nothing": case("impossible", types="lamp ghost", pre="(exists (?g - ghost) (power))"),
    "forall over nothing": case(1, types="lamp ghost", pre="(forall (?g - ghost) (power))"),
    # goals
    "goal with forall": case(2, goal="(forall (?x - lamp) (imply (not (= ?x a)) (on ?x)))"),
    "goal with exists": case(1, goal="(exists (?x - lamp) (and (on ?x) (wired ?x c)))"),
    "goal with or": case(1, goal="(or (and (on a) (on b)) (on c))"),
    "goal with not exists": case(
        2, init="(broken a) (broken b)", actions=MEND, goal="(not (exists (?x - lamp) (broken ?x)))"
    ),
    "goal with imply": case(0, goal="(imply (on a) (on b))"),
    "goal that cannot be": case("impossible", goal="(forall (?x - lamp) (and (on ?x) (broken ?x)))"),
    # effects
    "when": case(2, pre="()", eff="(and (when (power) (on ?l)) (power))"),
    "when or": case(
        2,
        pre="()",
        init="(broken b)",
        goal="(and (on a) (on b))",
        eff="(and (when (or (power) (broken ?l)) (on ?l)) (power))",
    ),
    "when exists": case(
        3,
        pre="()",
        goal="(on c)",
        eff="(and (when (= ?l a) (on a)) (when (exists (?x - lamp) (and (wired ?x ?l) (on ?x))) (on ?l)))",
    ),
    "when forall": case(
        3, goal="(done)", eff="(and (on ?l) (when (forall (?x - lamp) (or (on ?x) (= ?x ?l))) (done)))"
    ),
    "when not": case(1, eff="(when (not (power)) (on ?l))"),
    "forall effect": case(
        2, pre="()", eff="(forall (?x - lamp) (when (wired ?l ?x) (on ?x)))", goal="(and (on b) (on c))"
    ),
    "forall in when in forall": case(
        1,
        init="(power) (broken c)",
        goal="(and (on a) (on b) (not (on c)))",
        eff="(forall (?y - lamp) (when (power) (forall (?x - lamp) (when (not (broken ?x)) (on ?x)))))",
    ),
    "adds win": case(1, eff="(and (not (on ?l)) (on ?l))"),
    "effects look at the old state": case(
        2,
        pre="()",
        init="(on a) (wired a b) (wired b c)",
        goal="(and (on c) (not (on a)) (not (on b)))",
        eff="(forall (?x ?y - lamp) (when (and (on ?x) (wired ?x ?y)) (and (on ?y) (not (on ?x)))))",
    ),
    "no effect": case("impossible", eff="()"),
    "no parts": case(
        1, actions="(:action all :effect (forall (?x - lamp) (on ?x)))", goal="(and (on a) (on b) (on c))"
    ),
    "empty and": case(1, pre="(and)", eff="(and (on ?l) (and))"),
    # derived predicates
    "derived": case(
        1,
        more="(lit)",
        init="(broken a)",
        goal="(lit)",
        sections="(:derived (lit) (exists (?x - lamp) (and (on ?x) (not (broken ?x)))))",
    ),
    "derived, recursive": case(1, more=PAIR, sections=LINKED, pre="(linked a ?l)", goal="(on c)"),
    "derived, in the goal": case(1, more=PAIR, sections=LINKED, actions=JOIN, goal="(linked c a)"),
    "derived, negated": case(
        2,
        more=PAIR,
        sections=LINKED,
        pre="(not (linked ?l ?l))",
        actions=CUT,
        init="(wired a b) (wired b c) (wired c a)",
    ),
    "derived, in layers": case(
        3,
        more=PAIR + "(apart) (whole)",
        goal="(whole)",
        actions=JOIN,
        init="",
        sections=LINKED + "(:derived (apart) (exists (?x ?y - lamp) (not (linked ?x ?y))))"
        "(:derived (whole) (not (apart)))",
    ),
    "derived, in a condition": case(
        2, more=PAIR, sections=LINKED, actions=JOIN, goal="(done)", eff="(when (linked ?l ?l) (done))"
    ),
    "derived, impossible": case(
        "impossible", more="(never)", goal="(never)", sections="(:derived (never) (and (on a) (not (on a))))"
    ),
    # costs
    "costs": case(1, **WITH_COSTS),
    "costs, a number": case(
        2, **{**WITH_COSTS, "eff": "(and (on ?l) (increase (total-cost) 2))", "goal": "(and (on a) (on b))"}
    ),
    "a metric without costs": case(1, metric="(:metric minimize (total-time))"),
    # types
    "either in a predicate": case(
        1, types="lamp fan", more="(near ?x - (either lamp fan))", init="(near a)", pre="(near ?l)"
    ),
    "either in an action": case(
        2,
        types="lamp fan",
        objects="a - lamp f - fan",
        init="",
        more="(runs ?x - (either lamp fan))",
        goal="(and (runs a) (runs f))",
        actions="(:action start :parameters (?x - (either lamp fan)) :effect (runs ?x))",
    ),
    "either in a quantifier": case(
        1,
        types="lamp fan",
        objects="a - lamp f - fan",
        init="",
        goal="(done)",
        more="(runs ?x - (either lamp fan))",
        actions=FINISH.format("(forall (?x - (either fan lamp)) (not (runs ?x)))"),
    ),
    "two parents": case(
        1,
        types="toaster - lamp toaster - oven lamp oven - thing thing",
        objects="t - toaster",
        init="(hot t)",
        more="(hot ?o - oven)",
        goal="(on t)",
        actions="(:action glow :parameters (?o - oven) :precondition (hot ?o) :effect (done))",
    ),
    "a parent that is not declared": case(1, types="lamp - thing", more="(seen ?t - thing)"),
    "a wider parameter": case(
        1,
        types="lamp - thing thing",
        goal="(on a)",
        actions="(:action any :parameters (?t - thing) :effect (on ?t))",
    ),
    "object": case(
        1,
        more="(seen ?t - object)",
        goal="(seen a)",
        actions="(:action see :parameters (?t) :effect (seen ?t))",
    ),
    "a predicate named like a type": case(1, more="(lamp ?l - lamp)", init="(lamp a)", pre="(lamp ?l)"),
    "predicates named like words of PDDL": case(
        1,
        more="(at ?l - lamp) (assign ?l - lamp) (unknown)",
        init="(at a) (assign a) (unknown)",
        pre="(and (at ?l) (assign ?l))",
    ),
    "no types": text(
        1,
        "(define (domain d) (:predicates (p ?x) (q ?x ?y)) (:action a :parameters (?x ?y)"
        " :precondition (q ?x ?y) :effect (p ?x)))",
        "(define (problem p) (:domain d) (:objects u v) (:init (q u v)) (:goal (p u)))",
    ),
    # files
    "no requirements": case(1, requirements="", pre="(or (power) (not (on ?l)))"),
    "wrong requirements": case(1, requirements="(:requirements :strips :fluents :durative-actions)"),
    "upper case and comments": Case(
        DOMAIN.format(**DEFAULTS).upper().replace("(:ACTION", "; what a lamp does (or not\n(:ACTION"),
        PROBLEM.format(**DEFAULTS).replace("(:goal", ";; (:goal (never))\n\t(:GOAL"),
        1,
    ),
    "sections in any order": text(
        1,
        "(define (domain d) (:action a :effect (p)) (:predicates (p)))",
        "(define (problem p) (:goal (p)) (:init) (:domain d))",
    ),
    "numbers as names": case(1, objects="1 2 x.3 - lamp", init="(wired 1 2)", goal="(on x.3)"),
    "facts that do not hold": case(1, init="(and (wired a b) (not (on a))) (= a a)"),
    "a length": case(1, metric="(:length (:serial 3) (:parallel 2))"),
    "an object twice": case(1, objects="a b c a - lamp", constants="b - lamp"),
    # refused
    "durative actions": case("Durative actions", actions=TIMED),
    "numeric conditions": case(
        "Numeric comparisons ('>='", sections="(:functions (charge))", pre="(>= (charge) 1)"
    ),
    "numeric effects": case(
        "Numeric fluents ('decrease')",
        sections="(:functions (charge))",
        eff="(and (on ?l) (decrease (charge) 1))",
    ),
    "numeric counters": case(
        "Numeric fluents ('increase'",
        sections="(:functions (charge))",
        eff="(and (on ?l) (increase (charge) 1))",
    ),
    "object fluents": case(
        "Functions to anything but numbers", sections="(:functions (by ?l - lamp) - lamp)"
    ),
    "preferences": case("Preferences", goal="(preference p (on a))"),
    "constraints": case("Constraints", metric="(:constraints (always (on a)))"),
    "timed initial literals": case("Timed initial literals", init="(at 5 (on a))"),
    "oneof in an effect": case("('oneof')", eff="(oneof (on ?l) (broken ?l))"),
    "oneof in the state": case("('oneof')", init="(oneof (on a) (on b))"),
    "unknown facts": case("('unknown')", init="(unknown (on a))"),
    "or in the state": case("initial facts ('or')", init="(or (on a) (on b))"),
    "probabilistic effects": case("('probabilistic')", eff="(probabilistic 0.5 (on ?l))"),
    "observations": case("(':observe')", actions="(:action see :parameters (?l - lamp) :observe (on ?l))"),
    "tasks": case("(':tasks')", sections="(:tasks (light-all))"),
    "methods": case("(':method')", sections="(:method m :parameters () :task (t))"),
    "processes": case("Processes", sections="(:process p :parameters () :effect (power))"),
    "events": case("Events", sections="(:event e :parameters () :effect (power))"),
    "axioms of PDDL 1.2": case("PDDL 1.2", sections="(:axiom :vars () :context (power) :implies (done))"),
    "costs under a condition": case(
        "Action costs under a condition",
        **{**WITH_COSTS, "eff": "(and (on ?l) (when (power) (increase (total-cost) 1)))"},
    ),
    "a derived predicate as an effect": case(
        "is derived, so no effect", more="(lit)", eff="(lit)", sections="(:derived (lit) (power))"
    ),
    "a derived predicate on its own negation": case(
        "its own negation", more="(lit)", sections="(:derived (lit) (not (lit)))"
    ),
}
