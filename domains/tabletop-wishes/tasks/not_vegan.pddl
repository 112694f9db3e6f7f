(define (problem not_vegan)
  (:domain tabletop-wishes)
  (:objects
    milk_carton apple spam water_bottle - movable
    purple_bin - vessel
    table_surface - surface)
  (:init
    (handempty)
    (on milk_carton table_surface)
    (on apple table_surface)
    (on spam table_surface)
    (on water_bottle table_surface)
    (on purple_bin table_surface))
  (:goal (achieved)))
