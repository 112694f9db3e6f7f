(define (problem sort_parts)
  (:domain tabletop)
  (:objects
    robot - agent
    tray - container
    screw nut peg clip - toy)
  (:init
    (handempty robot)
    (ontable tray) (ontable screw) (ontable nut) (ontable peg) (ontable clip))
  (:goal (and (collected screw) (collected nut) (collected peg) (collected clip))))
