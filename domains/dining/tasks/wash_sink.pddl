(define (problem wash_sink_1) (:domain dining)
  (:objects robot_1 - robot  kitchen dining - location
            sponge_1 - sponge  sink_1 - sink  faucet_1 - faucet)
  (:init (robot_at robot_1 kitchen) (hand_empty robot_1) (at sponge_1 kitchen) (at sink_1 kitchen)
         (at faucet_1 kitchen))
  (:goal (and (clean sink_1))))
