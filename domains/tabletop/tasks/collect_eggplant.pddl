; The demonstration of Figure 5: one toy, two containers to choose from.
(define (problem collect_eggplant)
  (:domain tabletop)
  (:objects
    robot - agent
    container_blue - container
    container_cyan - container
    toy_eggplant - toy)
  (:init
    (handempty robot)
    (ontable container_blue)
    (ontable container_cyan)
    (ontable toy_eggplant))
  (:goal (and (collected toy_eggplant))))
