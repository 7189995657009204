// Other plugins' ways of pushing: a follower is a connection like any other, with its rights at every event, its limits and
// its end, whose events are handed over as values. Knows no frame.
import type { FollowedEvent, Follower, FollowerSink, RealtimeService } from '../api.ts'
import type { Hub } from '../service.ts'
import type { Sink } from './connection.ts'

/** Makes the way in for followers. */
export function createFollowing(hub: Pick<Hub, 'open' | 'subscribe' | 'leave'>): RealtimeService['follow'] {
  return (opening, to): Follower => {
    const connection = hub.open({ ...opening, transport: 'websocket' })
    connection.attach(sinkOf(to), undefined)
    return {
      context: () => connection.context(),
      subscribe: (request) => hub.subscribe(connection, request).id,
      unsubscribe(subscriptionId) {
        const subscription = connection.subscriptions.get(subscriptionId)
        if (subscription !== undefined) hub.leave(connection, subscription)
      },
      touch: () => connection.touch(),
      pump: () => connection.pump(),
      end: () => connection.end(1000, 'the follower left'),
    }
  }
}

function sinkOf(to: FollowerSink): Sink {
  return {
    buffered: to.buffered,
    deliver(_eventId, messages) {
      for (const { text } of messages) to.take(JSON.parse(text) as FollowedEvent, text.length)
    },
    // What is said to clients of the protocol means nothing here.
    frame: () => undefined,
    close: to.ended,
  }
}
