(define (problem two_eggs)
  (:domain tabletop-wishes)
  (:objects
    egg_1 egg_2 egg_3 - movable
    pan - vessel
    table_surface - surface)
  (:init
    (handempty)
    (on egg_1 table_surface)
    (on egg_2 table_surface)
    (on egg_3 table_surface)
    (on pan table_surface))
  (:goal (achieved)))
