(define (problem fruit_sort)
  (:domain tabletop-wishes)
  (:objects
    pear sugar_box hammer tomato_soup_can strawberry apple - movable
    red_line table_surface - surface)
  (:init
    (handempty)
    (on pear table_surface)
    (on sugar_box table_surface)
    (on hammer table_surface)
    (on tomato_soup_can table_surface)
    (on strawberry table_surface)
    (on apple table_surface))
  (:goal (achieved)))
