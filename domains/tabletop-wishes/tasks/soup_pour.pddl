(define (problem soup_pour)
  (:domain tabletop-wishes)
  (:objects
    potted_meat_can apple peach - movable
    tomato_soup_can bowl - vessel
    white_mat table_surface - surface)
  (:init
    (handempty)
    (on tomato_soup_can table_surface)
    (on potted_meat_can table_surface)
    (on bowl table_surface)
    (on apple table_surface)
    (on peach table_surface))
  (:goal (achieved)))
