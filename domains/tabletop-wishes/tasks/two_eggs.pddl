(define (problem two_eggs)
  (:domain tabletop-wishes)
  (:objects
    egg_one egg_two egg_three - movable
    pan - vessel
    table_surface - surface)
  (:init
    (handempty)
    (on egg_one table_surface)
    (on egg_two table_surface)
    (on egg_three table_surface)
    (on pan table_surface))
  (:goal (achieved)))
