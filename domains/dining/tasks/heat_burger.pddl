(define (problem heat_burger_1) (:domain dining)
  (:objects robot_1 - robot  kitchen dining - location
            burger_1 - burger  fridge_1 - fridge  microwave_1 - microwave)
  (:init (robot_at robot_1 kitchen) (hand_empty robot_1) (inside burger_1 fridge_1) (at fridge_1 kitchen)
         (closed fridge_1) (at microwave_1 kitchen))
  (:goal (and (hot_food_ready dining))))
