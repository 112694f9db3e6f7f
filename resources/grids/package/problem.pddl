(define
  (problem package-4-2)
  (:domain package)
  (:objects
    pos-1-1 - position
    pos-1-2 - position
    pos-1-3 - position
    pos-1-4 - position
    pos-2-1 - position
    pos-2-2 - position
    pos-2-3 - position
    pos-2-4 - position
    pos-3-1 - position
    pos-3-2 - position
    pos-3-3 - position
    pos-3-4 - position
    pos-4-1 - position
    pos-4-2 - position
    pos-4-3 - position
    pos-4-4 - position
    up - direction
    right - direction
    down - direction
    left - direction
    pkg-1 - package
    pkg-2 - package)
  (:init
    (at pos-3-1)
    (facing down)
    (left-turn down right)
    (left-turn left down)
    (left-turn right up)
    (left-turn up left)
    (move-dir pos-1-1 pos-1-2 right)
    (move-dir pos-1-1 pos-2-1 down)
    (move-dir pos-1-2 pos-1-1 left)
    (move-dir pos-1-2 pos-1-3 right)
    (move-dir pos-1-2 pos-2-2 down)
    (move-dir pos-1-3 pos-1-2 left)
    (move-dir pos-1-3 pos-1-4 right)
    (move-dir pos-1-3 pos-2-3 down)
    (move-dir pos-1-4 pos-1-3 left)
    (move-dir pos-1-4 pos-2-4 down)
    (move-dir pos-2-1 pos-1-1 up)
    (move-dir pos-2-1 pos-2-2 right)
    (move-dir pos-2-1 pos-3-1 down)
    (move-dir pos-2-2 pos-1-2 up)
    (move-dir pos-2-2 pos-2-1 left)
    (move-dir pos-2-2 pos-2-3 right)
    (move-dir pos-2-2 pos-3-2 down)
    (move-dir pos-2-3 pos-1-3 up)
    (move-dir pos-2-3 pos-2-2 left)
    (move-dir pos-2-3 pos-2-4 right)
    (move-dir pos-2-3 pos-3-3 down)
    (move-dir pos-2-4 pos-1-4 up)
    (move-dir pos-2-4 pos-2-3 left)
    (move-dir pos-2-4 pos-3-4 down)
    (move-dir pos-3-1 pos-2-1 up)
    (move-dir pos-3-1 pos-3-2 right)
    (move-dir pos-3-1 pos-4-1 down)
    (move-dir pos-3-2 pos-2-2 up)
    (move-dir pos-3-2 pos-3-1 left)
    (move-dir pos-3-2 pos-3-3 right)
    (move-dir pos-3-2 pos-4-2 down)
    (move-dir pos-3-3 pos-2-3 up)
    (move-dir pos-3-3 pos-3-2 left)
    (move-dir pos-3-3 pos-3-4 right)
    (move-dir pos-3-3 pos-4-3 down)
    (move-dir pos-3-4 pos-2-4 up)
    (move-dir pos-3-4 pos-3-3 left)
    (move-dir pos-3-4 pos-4-4 down)
    (move-dir pos-4-1 pos-3-1 up)
    (move-dir pos-4-1 pos-4-2 right)
    (move-dir pos-4-2 pos-3-2 up)
    (move-dir pos-4-2 pos-4-1 left)
    (move-dir pos-4-2 pos-4-3 right)
    (move-dir pos-4-3 pos-3-3 up)
    (move-dir pos-4-3 pos-4-2 left)
    (move-dir pos-4-3 pos-4-4 right)
    (move-dir pos-4-4 pos-3-4 up)
    (move-dir pos-4-4 pos-4-3 left)
    (package-at pkg-1 pos-1-3)
    (package-at pkg-2 pos-2-2)
    (package-closed pkg-1)
    (package-closed pkg-2)
    (right-turn down left)
    (right-turn left up)
    (right-turn right down)
    (right-turn up right))
  (:goal (and (package-open pkg-1) (package-open pkg-2))))
