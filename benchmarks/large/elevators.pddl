; Lifts of two speeds, with costs.
(define (domain elevators)
  (:types passenger lift floor)
  (:predicates (at ?p - passenger ?f - floor) (in ?p - passenger ?l - lift) (stands ?l - lift ?f - floor)
    (reaches ?l - lift ?f - floor) (room ?l - lift) (room-two ?l - lift))
  (:functions (total-cost) (cost ?l - lift ?f ?g - floor))
  (:action ride
    :parameters (?l - lift ?f ?g - floor)
    :precondition (and (stands ?l ?f) (reaches ?l ?g) (not (= ?f ?g)))
    :effect (and (stands ?l ?g) (not (stands ?l ?f)) (increase (total-cost) (cost ?l ?f ?g))))
  (:action enter
    :parameters (?p - passenger ?l - lift ?f - floor)
    :precondition (and (stands ?l ?f) (at ?p ?f) (room ?l))
    :effect (and (in ?p ?l) (not (at ?p ?f)) (not (room ?l))))
  (:action enter-second
    :parameters (?p - passenger ?l - lift ?f - floor)
    :precondition (and (stands ?l ?f) (at ?p ?f) (not (room ?l)) (room-two ?l))
    :effect (and (in ?p ?l) (not (at ?p ?f)) (not (room-two ?l))))
  (:action leave-second
    :parameters (?p - passenger ?l - lift ?f - floor)
    :precondition (and (stands ?l ?f) (in ?p ?l) (not (room-two ?l)))
    :effect (and (at ?p ?f) (not (in ?p ?l)) (room-two ?l)))
  (:action leave
    :parameters (?p - passenger ?l - lift ?f - floor)
    :precondition (and (stands ?l ?f) (in ?p ?l) (room-two ?l) (not (room ?l)))
    :effect (and (at ?p ?f) (not (in ?p ?l)) (room ?l))))
