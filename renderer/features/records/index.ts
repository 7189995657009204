// The door of the records feature: what the page of a record, the kinds of view and the frame may use. Screens are loaded
// by the router.
export { addRecord } from './add-record.ts'
export { ConflictDialog } from './conflict-dialog.tsx'
export type { OpenConflict } from './conflict-dialog.tsx'
export { deleteRecords } from './delete-records.ts'
export { FilterPanel } from './filter-panel.tsx'
export { filterWords } from './filter-words.ts'
export { dimensionText, singleText } from './group-labels.ts'
export { allOf, figureAlias, groupCondition, headingsQuery } from './group-query.ts'
export { createGroupRows } from './group-rows.ts'
export type { GroupRows, ShownGroup } from './group-rows.ts'
export { figureText, measureLabel, shortFigure } from './figure-text.ts'
export { isDated, isSwitch } from './group-terms.ts'
export { createBlockLoader } from './load-block.ts'
export { FormField, NewRecordDialog, focusField, readValues, startTexts } from './new-record-dialog.tsx'
export type { Texts } from './new-record-dialog.tsx'
export { NoRecords } from './no-records.tsx'
export type { ViewKindProps } from './object-views.tsx'
export {
  buildGroup,
  inOwnWords,
  isFilterGroup,
  isWritten,
  narrowed,
  operatorOf,
  readConditions,
  readQuery,
  sortText,
  writeConditions,
  writeQuery,
} from './record-query.ts'
export type { FilterGroup, FilterNode, RecordFilter, SortTerm, ViewOptions } from './record-query.ts'
export { useRecordPeek } from './record-peek-place.tsx'
export type { RecordPeekProps } from './record-peek-place.tsx'
export { RecordToolbar } from './record-toolbar.tsx'
export type { ToolPanel } from './record-toolbar.tsx'
export { afterWrite } from './live-change.ts'
export { madeConditions, saysSame, withConditions } from './made-filter.ts'
export { plainValue, sameContent } from './record-values.ts'
export { createRecordWrites } from './record-writes.ts'
export { createSerialWrites } from './serial-writes.ts'
export type { RecordWrites, RecordWritesPort } from './record-writes.ts'
export { useStoredViews, useViewWrites, viewConfig } from './record-views.ts'
export type { StoredView, ViewDraft } from './record-views.ts'
export { linkFields, useShownFields } from './shown-fields.ts'
export { ViewDialog } from './view-dialog.tsx'
export { ViewPanels } from './view-panels.tsx'
export { groupCondition as dimensionCondition, groupChoices, measureChoices, readDimension } from './summary-query.ts'
export { SummaryPanel } from './summary-panel.tsx'
export { ToolDialog } from './tool-panel.tsx'
export { useConflictQuestion } from './use-conflict-question.ts'
export { useFieldContext } from './use-field-context.ts'
export { useLiveRows } from './use-live-rows.ts'
export { useRecordRows, useRowAt } from './use-record-rows.ts'
export type { RecordRows } from './use-record-rows.ts'
export { chartOptions, columnFields, coverFields, dayFields, hueFields, sumFields } from './view-types.ts'
