(define (problem far_apart)
  (:domain tabletop-wishes)
  (:objects
    orange apple pear - movable
    table_surface - surface)
  (:init
    (handempty)
    (on orange table_surface)
    (on apple table_surface)
    (on pear table_surface))
  (:goal (achieved)))
