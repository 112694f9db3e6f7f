(define (problem citrus)
  (:domain tabletop-wishes)
  (:objects
    strawberry apple pear lemon orange plum - movable
    plate table_surface - surface)
  (:init
    (handempty)
    (on strawberry table_surface)
    (on apple table_surface)
    (on pear table_surface)
    (on lemon table_surface)
    (on orange table_surface)
    (on plum table_surface))
  (:goal (achieved)))
