(define (problem dirty_plate)
  (:domain tabletop-wishes)
  (:objects
    lemon orange - movable
    plate table_surface - surface)
  (:init
    (handempty)
    (on lemon table_surface)
    (on orange table_surface))
  (:goal (achieved)))
