// Who is connected to which workspace: wakes them when there is something new, and passes on what is never stored.
// Knows members as callbacks, no frame's meaning.
import type { Frame } from '#main/replication/wire/frames.ts'

/** A connected device, as the others in its workspace see it. */
export interface Member {
  /** Public key of the device. */
  readonly key: Uint8Array
  /** Something new may be there for it. */
  wake(): void
  /** Gives it a frame of another member. */
  deliver(frame: Frame): void
  /** Ends its connection. */
  end(code: string): void
}

/** The members of all workspaces. */
export interface Rooms {
  /** Adds a member; the answer takes it out again. */
  enter(workspace: number, member: Member): () => void
  /** Wakes the members of workspaces. */
  wake(workspaces: Iterable<number>): void
  /** Gives a frame to every member but one. */
  pass(workspace: number, from: Member, frame: Frame): void
  /** Ends every connection of a device. */
  close(workspace: number, key: Uint8Array, code: string): void
  /** Members of a workspace at present. */
  size(workspace: number): number
}

/** Makes empty rooms. */
export function createRooms(): Rooms {
  const rooms = new Map<number, Set<Member>>()
  const membersOf = (workspace: number): readonly Member[] => [...(rooms.get(workspace) ?? [])]
  return {
    enter(workspace, member) {
      const room = rooms.get(workspace) ?? new Set()
      rooms.set(workspace, room.add(member))
      return () => {
        room.delete(member)
        if (room.size === 0 && rooms.get(workspace) === room) rooms.delete(workspace)
      }
    },
    wake(workspaces) {
      for (const workspace of workspaces) for (const member of membersOf(workspace)) member.wake()
    },
    pass(workspace, from, frame) {
      for (const member of membersOf(workspace)) if (member !== from) member.deliver(frame)
    },
    close(workspace, key, code) {
      for (const member of membersOf(workspace)) if (Buffer.compare(member.key, key) === 0) member.end(code)
    },
    size: (workspace) => rooms.get(workspace)?.size ?? 0,
  }
}
