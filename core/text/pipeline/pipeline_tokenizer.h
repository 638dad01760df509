#pragma once

#include "core/text/pipeline/added_tokens.h"
#include "core/text/pipeline/decoder.h"
#include "core/text/pipeline/normalizers/normalizer.h"
#include "core/text/pipeline/post_processor.h"
#include "core/text/pipeline/pre_tokenizer.h"
#include "core/text/vocabulary/token_model.h"

namespace assay {

/// What a tokenizer in the manner of `tokenizer.json` consists of, in the order in which a text passes it.
struct Pipeline
{
    AddedTokens added;
    NormalizerPtr normalizer;     ///< may be null
    PreTokenizerPtr preTokenizer; ///< may be null
    TokenModelPtr model;
    PostProcessorPtr postProcessor; ///< may be null
    DecoderPtr decoder;             ///< null: pieces with a blank between them
    SpecialTokens special;
    std::vector<std::string> missingSpecial;          ///< as Tokenizer::missingSpecialTokens gives them
    std::shared_ptr<const ChatTemplate> chatTemplate; ///< may be null
};

/// `files`: the vocabulary file first, then what else is needed to open it again; names and bytes.
TokenizerPtr makePipelineTokenizer(Pipeline pipeline, std::vector<std::pair<std::string, std::string>> files);

} // namespace assay
