#pragma once

#include "core/data/example.h"

namespace assay {

/// Moves what the whole conversations in `candidates` have in common into `prompt`, for rows that give no
/// prompt of their own. Transcripts ("\n\nHuman: ... \n\nAssistant: ..."): the common start up to its last
/// assistant tag. Other text: the common start up to its last white space, so that no word is torn; nothing
/// when all are equal. Messages: the common first messages; the last message of each stays an answer.
void cutPrompt(PreferenceExample& row);

/// What decides on which side of a split a row is: the prompt up to the first answer in it. Of a prompt that
/// was guessed from plain text only the whole lines count, because every pair shares some first words.
/// Empty = the row stands for itself.
Passage openingOf(const PreferenceExample& row);

} // namespace assay
