(define (problem mug_3)
  (:domain tabletop-wishes)
  (:objects
    fork mustard_bottle golf_ball - movable
    mug - vessel
    table_surface - surface)
  (:init
    (handempty)
    (on fork table_surface)
    (on mustard_bottle table_surface)
    (on mug table_surface)
    (inside golf_ball mug))
  (:goal (achieved)))
