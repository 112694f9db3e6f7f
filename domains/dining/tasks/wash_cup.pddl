(define (problem wash_cup_1) (:domain dining)
  (:objects robot_1 - robot  kitchen dining - location
            cup_1 - cup  sponge_1 - sponge  sink_1 - sink  faucet_1 - faucet)
  (:init (robot_at robot_1 kitchen) (hand_empty robot_1) (at cup_1 kitchen) (at sponge_1 kitchen)
         (at sink_1 kitchen) (at faucet_1 kitchen))
  (:goal (and (clean cup_1))))
