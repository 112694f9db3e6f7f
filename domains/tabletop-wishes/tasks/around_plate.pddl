(define (problem around_plate)
  (:domain tabletop-wishes)
  (:objects
    orange apple - movable
    plate table_surface - surface)
  (:init
    (handempty)
    (on orange table_surface)
    (on apple table_surface))
  (:goal (achieved)))
