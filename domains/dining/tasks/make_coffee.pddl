(define (problem make_coffee_1) (:domain dining)
  (:objects robot_1 - robot  kitchen dining - location
            cup_1 - cup  coffee_1 - coffee  coffee_maker_1 - coffee_maker)
  (:init (robot_at robot_1 kitchen) (hand_empty robot_1) (at cup_1 kitchen) (at coffee_1 kitchen)
         (at coffee_maker_1 kitchen))
  (:goal (and (coffee_ready kitchen))))
