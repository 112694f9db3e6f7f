(define (problem its_place)
  (:domain tabletop-wishes)
  (:objects
    orange apple - movable
    table_surface - surface)
  (:init
    (handempty)
    (on orange table_surface)
    (on apple table_surface))
  (:goal (achieved)))
