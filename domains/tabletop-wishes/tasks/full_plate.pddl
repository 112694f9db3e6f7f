(define (problem full_plate)
  (:domain tabletop-wishes)
  (:objects
    blue_block orange apple lemon - movable
    plate table_surface - surface)
  (:init
    (handempty)
    (on blue_block table_surface)
    (on orange plate)
    (on apple table_surface)
    (on lemon table_surface))
  (:goal (achieved)))
