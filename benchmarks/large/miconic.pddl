(define (domain miconic)
  (:types passenger floor)
  (:predicates (starts ?p - passenger ?f - floor) (wants ?p - passenger ?f - floor) (above ?f ?g - floor)
    (boarded ?p - passenger) (served ?p - passenger) (lift ?f - floor))
  (:action board
    :parameters (?f - floor ?p - passenger)
    :precondition (and (lift ?f) (starts ?p ?f))
    :effect (boarded ?p))
  (:action depart
    :parameters (?f - floor ?p - passenger)
    :precondition (and (lift ?f) (wants ?p ?f) (boarded ?p))
    :effect (and (not (boarded ?p)) (served ?p)))
  (:action up
    :parameters (?f ?g - floor)
    :precondition (and (lift ?f) (above ?f ?g))
    :effect (and (lift ?g) (not (lift ?f))))
  (:action down
    :parameters (?f ?g - floor)
    :precondition (and (lift ?f) (above ?g ?f))
    :effect (and (lift ?g) (not (lift ?f)))))
