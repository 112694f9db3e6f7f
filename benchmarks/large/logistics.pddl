(define (domain logistics)
  (:types city place thing - object airport - place package vehicle - thing truck plane - vehicle)
  (:predicates (at ?t - thing ?p - place) (in ?p - package ?v - vehicle) (within ?p - place ?c - city))
  (:action load
    :parameters (?p - package ?v - vehicle ?where - place)
    :precondition (and (at ?p ?where) (at ?v ?where))
    :effect (and (in ?p ?v) (not (at ?p ?where))))
  (:action unload
    :parameters (?p - package ?v - vehicle ?where - place)
    :precondition (and (in ?p ?v) (at ?v ?where))
    :effect (and (at ?p ?where) (not (in ?p ?v))))
  (:action drive
    :parameters (?t - truck ?from ?to - place ?c - city)
    :precondition (and (at ?t ?from) (within ?from ?c) (within ?to ?c))
    :effect (and (at ?t ?to) (not (at ?t ?from))))
  (:action fly
    :parameters (?p - plane ?from ?to - airport)
    :precondition (at ?p ?from)
    :effect (and (at ?p ?to) (not (at ?p ?from)))))
