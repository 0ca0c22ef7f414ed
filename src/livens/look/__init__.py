"""Pictures of models and motions.

    picture     the description: which items a model has, where they are at a time, how large the motion is
    browser     pages served by viser, for motions and for running simulations
    page        a stand-alone HTML page
    render      PNG files and films
    gltf        animated glTF files
    plot        figures with matplotlib

browser, page, render and gltf draw the items of one description (picture/picture.py).
"""
