(define (problem wash_glass_1) (:domain dining)
  (:objects robot_1 - robot  kitchen dining - location
            glass_1 - glass  sponge_1 - sponge  sink_1 - sink  faucet_1 - faucet)
  (:init (robot_at robot_1 kitchen) (hand_empty robot_1) (at glass_1 dining) (at sponge_1 kitchen)
         (at sink_1 kitchen) (at faucet_1 kitchen))
  (:goal (and (clean glass_1) (not (running faucet_1)))))
