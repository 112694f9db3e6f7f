(define (problem wash_plate_1) (:domain dining)
  (:objects robot_1 - robot  kitchen dining - location
            plate_1 - plate  sink_1 - sink  faucet_1 - faucet)
  (:init (robot_at robot_1 kitchen) (hand_empty robot_1) (at plate_1 dining) (at sink_1 kitchen)
         (at faucet_1 kitchen))
  (:goal (and (rinsed plate_1))))
