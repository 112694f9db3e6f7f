(define (problem hue_tower)
  (:domain tabletop-wishes)
  (:objects
    red_block yellow_block green_block - movable
    table_surface - surface)
  (:init
    (handempty)
    (on red_block table_surface)
    (on yellow_block table_surface)
    (on green_block table_surface))
  (:goal (achieved)))
