(define (problem clean_floor_1) (:domain dining)
  (:objects robot_1 - robot  kitchen dining - location
            vacuum_1 - cleaner  outlet_1 - outlet)
  (:init (robot_at robot_1 kitchen) (hand_empty robot_1) (at vacuum_1 dining) (at outlet_1 dining)
         (found outlet_1))
  (:goal (and (floor_clean dining) (not (plugged vacuum_1)))))
