// Owns what stands above the objects on home. Loaded after the first page, so that a first run does not wait for it.
import type { ObjectItem } from '../objects/index.ts'
import { ChangesPart } from './changes-part.tsx'
import { NextPart } from './next-part.tsx'
import { PlacesPart } from './places-part.tsx'

/** The parts. */
export function OverviewParts(props: { objects: readonly ObjectItem[] }) {
  return (
    <>
      <NextPart objects={props.objects} />
      <PlacesPart />
      <ChangesPart objects={props.objects} />
    </>
  )
}
