(define (problem green_between)
  (:domain tabletop-wishes)
  (:objects
    green_block blue_block red_block - movable
    table_surface - surface)
  (:init
    (handempty)
    (on green_block table_surface)
    (on blue_block table_surface)
    (on red_block table_surface))
  (:goal (achieved)))
