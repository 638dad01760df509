#pragma once

#include "tests/support/fake_session.h"
#include "ui/actions.h"
#include "ui/pages/experiment_page.h"
#include "ui/run_controller.h"
#include "ui/store_source.h"

#include <QPushButton>

namespace assay::tests {

/// The Experiment page over a store folder and a session without tensors.
struct ExperimentFixture
{
    ExperimentFixture(const StorePlace& place, const std::shared_ptr<FakeSessionState>& state)
        : source(place)
        , controller(place, [state] { return std::make_unique<FakeSession>(state); })
        , actions(&window)
        , page(source, controller, actions)
    {}
    QPushButton* button(const char* name) { return page.findChild<QPushButton*>(QLatin1String(name)); }
    QPushButton* start() { return button("start"); }

    StoreSource source;
    RunController controller;
    QWidget window;
    Actions actions;
    ExperimentPage page;
};

/// Settings that can start: nothing is missing, nothing contradicts.
inline ExperimentConfig startable()
{
    ExperimentConfig config;
    config.run.name = "page-test";
    config.data.train = "rows.jsonl";
    config.backbone.source = "scratch";
    return config;
}

} // namespace assay::tests
