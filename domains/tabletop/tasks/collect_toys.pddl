; All three toys into one container or the other.
(define (problem collect_toys)
  (:domain tabletop)
  (:objects
    robot - agent
    container_blue - container
    container_cyan - container
    toy_eggplant - toy
    toy_carrot - toy
    toy_block - toy)
  (:init
    (handempty robot)
    (ontable container_blue)
    (ontable container_cyan)
    (ontable toy_eggplant)
    (ontable toy_carrot)
    (ontable toy_block))
  (:goal (and (collected toy_eggplant) (collected toy_carrot) (collected toy_block))))
