(define (problem clean_plate)
  (:domain tabletop-wishes)
  (:objects
    sponge apple fork - movable
    plate table_surface - surface)
  (:init
    (handempty)
    (on sponge table_surface)
    (on apple table_surface)
    (on fork table_surface))
  (:goal (achieved)))
